-- Removes done jobs that are too many or too old, the oldest first: as many as this call added, and some.
-- @include drop_done
local too_old = call('ZCOUNT', KEYS[#KEYS], '-inf', string.format('%.0f', now - keep_for))
drop_done(math.min(math.max(call('ZCARD', KEYS[#KEYS]) - keep_most, too_old), kept + 100))
