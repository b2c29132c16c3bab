-- One rule of peek, with the rules after it inside, as in acquire.
local key, rule = KEYS[RULE], ARGV[RULE + 1]
local retry, remaining, reset
-- @include look
-- @include next
reply = struct.pack('>I4i7I7c0', remaining, retry, reset, reply)
