-- Takes jobs of one priority, run by run, in bounded steps: as many at a time as surely are not too much for one call.
local ready, waiting, ready_records = KEYS[level], KEYS[level + 1], KEYS[(level + 20) / 2]
local due, in_list = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now)), true
while n < most and bytes < MAX_BYTES and looked < MAX_LOOKED and (in_list or due > 0) do
  -- About as many runs as bring so many jobs, if they are as long as those before.
  local want = math.min(most - n, math.max(4, math.ceil((most - n) / per_run)))
  local heads = in_list and call('LRANGE', ready, 0, want - 1) or {}
  in_list = #heads == want
  local taken_heads, rest_head, rest = 0, nil, nil
  if due == 0 then
    -- @include take_runs
  else
    -- @include take_merged
  end
  if taken_heads > 0 then
    call('LTRIM', ready, taken_heads, -1)
    looked = looked + taken_heads
  end
  if rest then
    call('LPUSH', ready, rest_head)
    call('LPUSH', ready_records, rest)
  end
  -- Where some of a run was cancelled, there may be room for more.
  in_list = in_list or taken_heads < #heads or rest ~= nil
end
if n == most or bytes >= MAX_BYTES or looked >= MAX_LOOKED then
  more = now
else
  local next = call('ZRANGE', waiting, 0, 0)[1]
  if next then
    more = math.min(more, (read('>I7', next, 7)))
  end
end
