-- Takes jobs of one priority, run by run, in bounded steps: as many at a time as surely are not too much for one call.
local ready, waiting = KEYS[level], KEYS[level + 1]
local due, in_list = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now)), true
while n < most and bytes < MAX_BYTES and looked < MAX_LOOKED and (in_list or due > 0) do
  -- As few runs as bring so many jobs, if they are as long as those before.
  local want = math.max(1, math.min(math.floor((most - n) / per_run), at_once()))
  if due == 0 then
    -- @include take_runs
  else
    -- @include take_merged
  end
end
if n == most or bytes >= MAX_BYTES or looked >= MAX_LOOKED then
  more = now
else
  local next = call('ZRANGE', waiting, 0, 0)[1]
  if next then
    more = math.min(more, (read('>I7', next, 7)))
  end
end
