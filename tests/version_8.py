"""What a dpviz that writes version 8 of configurations has written: a stored run, and addresses of its pages."""

from __future__ import annotations

# From X = 0, ¼, ½, 9, 9¼.
STORED = (
    '{"format":"dpviz-trace-1","data":"8de28fcfc01dab26e208540ea1bd2f29","config":{"version":8,"algorithm":"mapdp",'
    '"family":"normal_wishart","prior":null,"init":"single","n_init":1,"seed":3},"converged":true,"chosen_start":0,'
    '"starts":[["single",2,17.718588324055283,2]],"moves":[],"total_seconds":0.26,"n_trial_sweeps":0,'
    '"search_exhausted":false,"generator":null,"stride":1,"arrays":{"labels":{"dtype":"|u1","shape":[3,5],'
    '"data":"eJxjYAACRkZGKAEAADYABw=="},"label_sweeps":{"dtype":"<i8","shape":[3],"data":"eJxjYIAARijNBKUBADgABA=="},'
    '"nll":{"dtype":"<f8","shape":[3],"data":"eJy7ZVL1s/yvicMtqfb0r9sN4TQAoqwMaA=="},"objective":{"dtype":"<f8",'
    '"shape":[3],"data":"eJxr2OXw15rZxIF3pV7tlmO6cBoAepwJug=="},"n_clusters":{"dtype":"<i8","shape":[3],'
    '"data":"eJxjZIAAJjQaAABgAAY="},"n_moved":{"dtype":"<i8","shape":[3],"data":"eJxjYIAAVgZUAAAAaAAG"},"n_born":'
    '{"dtype":"<i8","shape":[3],"data":"eJxjYIAAJgZUAAAAOAAD"},"n_died":{"dtype":"<i8","shape":[3],'
    '"data":"eJxjYIAARgZUAAAAKAAC"},"seconds":{"dtype":"<f8","shape":[3],"data":"eJxjYIADiSJ2JXsgnbC3jdceABE/AuI="},'
    '"flat_sizes":{"dtype":"<i4","shape":[5],"data":"eJxjZWBgYAJiZiQaAADYABA="},"size_offsets":{"dtype":"<i8",'
    '"shape":[4],"data":"eJxjYIAARijNDKVZoTQAAJAACg=="}}}'
)
DATA = '{"source":"bundled","name":"ruspini","scaling":"standardise"}'
CHAIN = (
    '{"version":"8","algorithm":"gibbs","family":"normal_gamma","prior":"{\\"width\\":0.25}","init":"single",'
    '"n_sweeps":"40","burn_in":"10","seed":"5","split_merge":"2",'
    '"hyperpriors":"{\\"concentration\\":\\"gamma(1,0.3)\\"}","first_sweep":"all_points"}'
)
ADDRESSES = {
    "explore": {"data": DATA, "run": CHAIN},
    "tune": {
        "data": DATA,
        "tune": '{"tab":"counts","version":8,"asked":3,"bic.kmeans.n_init":10,"bic.kmeans.seed":0,'
        '"bic.method":"kmeans","held":{}}',
    },
    "posterior": {
        "data": DATA,
        "posterior": '{"run":{"version":"8","algorithm":"gibbs","family":"normal_gamma","prior":"{\\"width\\":0.25}",'
        '"n_sweeps":"40","burn_in":"0","seed":"5","split_merge":"2",'
        '"hyperpriors":"{\\"concentration\\":\\"gamma(1,0.3)\\"}"},"chains":2,"burn_in":10,"tab":"chains","held":{}}',
    },
    "compare": {
        "data": DATA,
        "panels": '[{"version":"8","algorithm":"kmeans"},{"version":"8","algorithm":"mapdp",'
        '"partition":"{\\"kind\\":\\"chinese_restaurant\\",\\"concentration\\":0.3}","n_init":"1"}]',
        "same": '{"seed":0,"order":false,"start":null,"effort":"restarts","starts":10}',
    },
    "predict": {"data": DATA, "predict": '{"run":' + CHAIN + ',"tab":"point","point":[52.0,96.0]}'},
}
"""Addresses by the names of the pages that wrote them."""
