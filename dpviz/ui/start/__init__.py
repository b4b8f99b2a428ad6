"""The first page: one picture, one sentence, three doors."""
