-- Pauses and resumes a queue.

-- @section pause
-- Pauses a queue, or lets it go on.
--
-- KEYS     1 header
-- ARGV     1: '1' to pause, '0' to go on
-- returns  '1' when that changed something, else '0'
-- @include calls
-- @include header_read
local wanted = ARGV[1] + 0
local changed = wanted ~= paused
paused = wanted
if changed and wanted == 0 then
  awaited = 0
  call('PUBLISH', KEYS[1], '')
end
-- @include header_write
return changed and '1' or '0'
