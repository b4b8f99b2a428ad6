"""Addresses that were written before keep their meaning: each opens without a word, and stays what it is."""

from __future__ import annotations

import json

import pytest

from pages import address, close, opened

LINKS = [
    (
        "explore",
        {
            "data": '{"source":"synthetic","name":"elliptical_overlap","options":{"n":60}}',
            "run": (
                '{"version":"8","algorithm":"gibbs","family":"normal_gamma","partition":"{\\"kind\\":\\"chine'
                'se_restaurant\\",\\"concentration\\":5.0}","prior":"null","n_sweeps":"20","burn_in":"5","see'
                'd":"3"}'
            ),
            "scale": "2-overlap",
        },
    ),
    (
        "explore",
        {
            "data": '{"source":"bundled","name":"ruspini","scaling":"standardise"}',
            "run": '{"version":"8","algorithm":"kmeans","n_init":"2","n_clusters":"4","seed":"9"}',
        },
    ),
    (
        "compare",
        {
            "data": '{"source":"bundled","name":"ruspini","scaling":"standardise"}',
            "panels": (
                '[{"version":"8","algorithm":"kmeans"},{"version":"8","algorithm":"mapdp","family":"normal_wi'
                'shart","partition":"{\\"kind\\":\\"chinese_restaurant\\",\\"concentration\\":30.0}","prior":'
                '"null","init":"singletons","n_init":"1","effort":"0.0"},{"version":"8","algorithm":"dpmeans"'
                ',"penalty":"2.0"}]'
            ),
            "same": '{"seed":null,"order":true,"start":4,"scale":2}',
        },
    ),
    (
        "compare",
        {
            "data": '{"source":"bundled","name":"ruspini","scaling":"standardise"}',
            "panels": (
                '[{"version":"8","algorithm":"mapdp","family":"normal_wishart","partition":"{\\"kind\\":\\"ch'
                'inese_restaurant\\",\\"concentration\\":30.0}","prior":"null","init":"singletons","n_init":"'
                '1","effort":"0.0"},{"version":"8","algorithm":"em","seed":"2"}]'
            ),
            "same": '{"seed":7,"order":false,"start":null,"effort":"restarts","starts":2,"scale":"suggested"}',
        },
    ),
    (
        "tune",
        {
            "data": '{"source":"bundled","name":"ruspini","scaling":"standardise"}',
            "tune": (
                '{"tab":"grid","version":8,"grid.kmeans.base.n_clusters":4,"grid.kmeans.first":"n_clusters","'
                'grid.kmeans.n_init":2,"grid.kmeans.second":"nothing else","grid.kmeans.seed":0,"grid.method"'
                ':"kmeans","range.n_clusters..from":2,"range.n_clusters..n":1,"range.n_clusters..to":3,"held"'
                ':{},"base":{"version":"8","algorithm":"kmeans","n_init":"2","n_clusters":"4"}}'
            ),
        },
    ),
    (
        "tune",
        {
            "data": '{"source":"synthetic","name":"elliptical_overlap","options":{"n":60}}',
            "tune": (
                '{"tab":"N0","version":8,"N0.from":0.01,"N0.n":21,"N0.rate":0.1,"N0.shape":1.0,"N0.to":100.0,'
                '"concentration.mapdp.effort":0.1,"concentration.mapdp.family.fcc55573":"normal_wishart","con'
                'centration.mapdp.n_init":10,"concentration.mapdp.seed":0,"concentration.method":"mapdp","hel'
                'd":{},"usual":true}'
            ),
        },
    ),
    (
        "posterior",
        {
            "data": '{"source":"synthetic","name":"elliptical_overlap","options":{"n":60}}',
            "posterior": (
                '{"run":{"version":"8","algorithm":"gibbs","family":"normal_gamma","partition":"{\\"kind\\":'
                '\\"pitman_yor\\",\\"concentration\\":0.7,\\"discount\\":0.25}","prior":"{\\"c0\\":0.3}","n_s'
                'weeps":"30","burn_in":"0","seed":"5"},"chains":2,"burn_in":11,"tab":"summary","held":{},"los'
                's":"binder","scale":2}'
            ),
        },
    ),
    (
        "posterior",
        {
            "data": '{"source":"synthetic","name":"elliptical_overlap","options":{"n":60}}',
            "posterior": (
                '{"run":{"version":"8","algorithm":"gibbs","family":"normal_gamma","partition":"{\\"kind\\":'
                '\\"chinese_restaurant\\",\\"concentration\\":1.0}","prior":"null","n_sweeps":"20","burn_in":'
                '"0"},"chains":2,"burn_in":5,"tab":"K","held":{},"usual":true}'
            ),
        },
    ),
    (
        "predict",
        {
            "data": '{"source":"synthetic","name":"elliptical_overlap","options":{"n":60}}',
            "predict": (
                '{"run":{"version":"8","algorithm":"mapdp","family":"normal_wishart","partition":"{\\"kind\\"'
                ':\\"chinese_restaurant\\",\\"concentration\\":30.0}","prior":"null","init":"singletons","n_i'
                'nit":"1","effort":"0.0"},"tab":"point","scale":"3-overlap","point":[1.5,-2.25]}'
            ),
        },
    ),
    (
        "predict",
        {
            "data": '{"source":"synthetic","name":"elliptical_overlap","options":{"n":60}}',
            "predict": (
                '{"run":{"version":"8","algorithm":"mapdp","family":"normal_wishart","partition":"{\\"kind\\"'
                ':\\"chinese_restaurant\\",\\"concentration\\":30.0}","prior":"null","init":"singletons","n_i'
                'nit":"1","effort":"0.0"},"tab":"folds","folds":3}'
            ),
        },
    ),
    (
        "priors",
        {
            "data": '{"source":"synthetic","name":"elliptical_overlap","options":{"n":60}}',
            "priors": '{"tab":"counts","seed":5,"points":123,"power":1.3,"which":["powered"]}',
        },
    ),
    (
        "priors",
        {
            "data": '{"source":"bundled","name":"ruspini","scaling":"standardise"}',
            "priors": (
                '{"tab":"elicit","expected_points":100,"expected_from":2,"expected_to":9,"expected_prior":"ch'
                'inese_restaurant"}'
            ),
        },
    ),
    (
        "learn",
        {
            "learn": '{"chapter":"kinds","guesses":{"spheres":40}}',
        },
    ),
    (
        "papers",
        {
            "papers": '{"study":"lu2018-separated"}',
        },
    ),
]


@pytest.mark.parametrize(("page", "query"), LINKS, ids=[f"{page} {number}" for number, (page, _) in enumerate(LINKS)])
def test_a_link_of_before_opens_as_it_did(page, query):
    app = opened(page, **query)
    assert not [warning.value for warning in app.warning if warning.icon == ":material/link_off:"]
    assert not app.error and not app.exception
    for name, text in query.items():
        written = address(app, name)
        assert written == text if name == "scale" else json.loads(written) == json.loads(text)
    close(app)
