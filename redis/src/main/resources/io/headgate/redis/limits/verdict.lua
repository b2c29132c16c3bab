-- A rule that denies; one in the shadow does not. Where nothing can be decided, allowed is nil, and stays so.
allowed = allowed and retry == 0
