-- Takes jobs of one priority, in bounded steps: as many at a time as surely are not too much for one call.
local ready, waiting = KEYS[level], KEYS[level + 1]
local at_once = math.max(1, math.floor(MAX_BYTES / math.max(longest, 1)))
local got = -1
while n < most and bytes < MAX_BYTES and got ~= 0 do
  local want = math.min(most - n, at_once)
  local due = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now))
  got = 0
  local fresh = due == 0 and (call('LPOP', ready, want) or {}) or call('LRANGE', ready, 0, want - 1)
  if due == 0 then
    for i = 1, #fresh do
      -- a short one was cancelled
      if #fresh[i] > 6 then
        n = n + 1
        taken[n] = fresh[i]
        bytes = bytes + #fresh[i]
      end
    end
    got = #fresh
  else
    -- @include take_merged
  end
end
if n < most and bytes < MAX_BYTES then
  local next = call('ZRANGE', waiting, 0, 0)[1]
  if next then
    more = math.min(more, (read('>I7', next, 7)))
  end
elseif n == most or bytes >= MAX_BYTES then
  more = now
end
