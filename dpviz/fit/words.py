"""A configuration's model in words."""

from __future__ import annotations

from collections.abc import Sequence

from dpviz.config import RunConfig
from dpviz.families import family_class
from dpviz.families.automatic import ANY, AUTOMATIC
from dpviz.families.powers import powers_in_words


def words_for(config: RunConfig, names: Sequence[str] = ()) -> str:
    """Describe the family, the width and what else is chosen of a configuration, for columns of these names."""
    title = "family by nll"
    if config.family != AUTOMATIC:
        family = family_class(config.family)
        title = family.title_under(config.prior_dict, config.kinds).partition(" (")[0]
    width = (config.prior_dict or {}).get("width")
    title = title if width is None else f"{title}, width {width:.4g}"
    number = config.directions
    where = "directions by parallel analysis" if number == AUTOMATIC else f"{number} direction{'s' * (number != 1)}"
    title = title if number in (None, ANY) else f"{title}, in {where}"
    if config.transform is not None:
        of = config.transform if isinstance(config.transform, str) else powers_in_words(config.transform, names)
        title = f"{title}, transformed: {of}"
    return title if config.coarsening is None else f"{title}, coarsened at α = {config.coarsening:.4g}"
