-- Removes jobs that are due later, of a higher priority first, and of one by their due time.
--
-- KEYS     as of claim.lua
-- ARGV     1: how many at most
-- returns  1 byte whether there may be more, 6 how many
-- costs    O(log n) for each
-- @include calls
-- @include clock
-- @include header_read
-- @include may_write
-- @include at_once
-- @include put_back
local left, n = math.min(ARGV[1] + 0, at_once()), 0
for level = 8, #KEYS, 2 do
  local set = KEYS[level + 1]
  local rank = call('ZCOUNT', set, '-inf', string.format('%.0f', now))
  local records = left > 0 and call('ZRANGE', set, rank, rank + left - 1) or {}
  if #records > 0 then
    call('ZREMRANGEBYRANK', set, rank, rank + #records - 1)
  end
  for _, record in ipairs(records) do
    if byte(record, 16) % 2 == 1 then
      call('HDEL', KEYS[6], sub(record, 1, 6))
    end
    free_key(record)
  end
  left, n = left - #records, n + #records
end
jobs = jobs - n
-- @include header_write
return pack('>BI6', n > 0 and 1 or 0, n)
