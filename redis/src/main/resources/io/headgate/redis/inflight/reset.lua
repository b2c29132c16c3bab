-- Releases all holds under one rule and combination of ids, and notifies callers that wait in other processes.
--
-- KEYS       1 the key of the rule and these ids
-- ARGV       1 the channel of the policy; 2 the process that resets; last, in tests, the time
-- Reply      a byte: 1 when anything was held, else 0
-- Publishes  as release.lua, with all permits that were held
-- State      as acquire.lua: a member for each permit
-- Cost       TIME, ZCOUNT, PUBLISH, and UNLINK, which frees the memory in the background
--
-- Variables that cross sections. From common.lua, which describes them: call, now, as_score.

-- @section reset
-- Deletes the key.
-- @include calls
-- @include clock
local released_permits = call('ZCOUNT', KEYS[1], '(' .. as_score(now), '+inf')
call('UNLINK', KEYS[1])
if released_permits == 0 then
  return '\0'
end
redis.pcall('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. released_permits .. ' ' .. KEYS[1])
return '\1'
