-- The header of a queue, KEYS[1]: whether it is paused, the number of the last job, how many jobs wait or are in hand,
-- how many of them are in hand; until when those sleep who wait for a job (0: nobody does); before when no lease ends;
-- the length of the longest run of jobs that there was; how many jobs in lists were cancelled and are still there.
-- @include own_keys
local NEVER, NO_PLACE = 9007199254740991, string.rep('\0', 13)
local head = call('GET', KEYS[1])
local paused, seq, jobs, leased, awaited, ends, longest, cancelled = 0, 0, 0, 0, 0, NEVER, 0, 0
if head then
  if #head ~= 41 or byte(head) ~= 1 then
    return redis.error_reply('HEADGATE_FOREIGN ' .. KEYS[1] .. ' holds no queue')
  end
  paused, seq, jobs, leased, awaited, ends, longest, cancelled = read('>BI6I6I6I7I7I3I4', head, 2)
elseif own_keys > 1 and call('EXISTS', unpack(KEYS, 2, own_keys)) > 0 then
  return redis.error_reply('HEADGATE_FOREIGN ' .. KEYS[1] .. ' is gone, and what belongs to it is there')
end
