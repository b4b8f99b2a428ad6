"""What Explore and Compare have in common: one run or several on a stage."""
