-- The number of the last key that is a queue's.
local own_keys = #KEYS
