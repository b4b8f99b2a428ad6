"""Everything from outside, registered by one import."""

import toy_algorithm  # noqa: F401
import toy_family  # noqa: F401
import toy_prior  # noqa: F401
