"""The first page: one picture, one sentence, four doors."""
