-- The number of the last key that is a queue's: the group's.
local own_keys = 13
