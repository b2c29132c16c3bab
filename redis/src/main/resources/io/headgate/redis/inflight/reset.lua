-- Releases all holds in a key.

-- @section reset
-- Gives all back that is held under one rule, and tells those who wait in other processes.
--
-- KEYS     the key of the rule
-- ARGV     1 the channel of the policy; 2 who does it; and in tests, the time
-- returns  a byte: 1 when anything was held, else 0
-- publishes as release; as permits those of all
-- cost     TIME, ZCOUNT, and UNLINK, which frees the memory in the background
-- @include calls
-- @include clock
local held = call('ZCOUNT', KEYS[1], '(' .. text(now), '+inf')
call('UNLINK', KEYS[1])
if held == 0 then
  return '\0'
end
redis.pcall('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. held .. ' ' .. KEYS[1])
return '\1'
