-- Pauses or resumes a queue.
--
-- KEYS       1 header
-- ARGV       1: '1' to pause, '0' to resume
-- Reply      '1' when this changed the state of the queue, else '0'
-- State      common.lua describes the header
-- Always     no job is changed
-- Cost       O(1)
--
-- Variables that cross sections. From common.lua: call, paused, awaited_until.

-- @section pause
-- Stores the new state, and wakes the consumers of a queue that resumes.
-- @include calls
-- @include read_header
local wanted = ARGV[1] + 0
local changed = wanted ~= paused
paused = wanted
if changed and wanted == 0 then
  awaited_until = 0
  call('PUBLISH', KEYS[1], '')
end
-- @include write_header
return changed and '1' or '0'
