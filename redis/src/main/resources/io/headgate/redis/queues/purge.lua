-- Removes the jobs of a queue: ready, delayed and done ones.

-- @section purge_ready
-- Removes jobs that are due, in the order in which they would be handed out.
--
-- KEYS     as of claim.lua
-- ARGV     1: how many at most
-- returns  1 byte whether there may be more, 6 how many
-- costs    O(1) a run from the list, O(log n) a job from the sorted set, O(1) a job that has a key
-- @include calls
-- @include clock
-- @include header_read
-- @include may_write
-- @include at_once
-- @include put_back
local most = ARGV[1] + 0
-- @include take_run
for level = 8, 12, 2 do
  -- @include take
end
local runs, at = table.concat(taken), 1
while at <= #runs do
  local first, due, count = read('>I6I7I2', runs, at)
  at = at + 15
  for number = first, first + count - 1 do
    local flags, size = read('>BI3', runs, at)
    if math.floor(flags / 4) % 2 == 1 then
      free_key(pack('>I6I7I2', number, due, 1) .. sub(runs, at, at + 3 + size))
    end
    at = at + 4 + size
  end
end
jobs = jobs - n
-- @include header_write
return pack('>BI6', more <= now and 1 or 0, n)

-- @section purge_delayed
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
for level = 8, 12, 2 do
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

-- @section purge_done
-- Removes jobs that are done, the oldest first.
--
-- KEYS     as of claim.lua; last done
-- ARGV     1: how many at most
-- returns  1 byte whether there may be more, 6 how many
-- costs    O(log n) for each
-- @include calls
-- @include header_read
-- @include may_write
-- @include put_back
-- @include drop_done
local n = drop_done(ARGV[1] + 0)
return pack('>BI6', n > 0 and 1 or 0, n)
