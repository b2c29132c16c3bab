-- Shows jobs that are due later, by their due time.
--
-- KEYS     as of counts.lua
-- ARGV     1: where to go on, nothing at the beginning: 7 bytes after which due time, 1 and priority, 6 and number; 2: how many
--          to show at most
-- returns  1 byte whether there are more, 14 where to go on; runs of one job
-- costs    O(log^2 n), and O(1) for each
-- @include calls
-- @include clock
-- @include header_read
-- @include at_once
-- @include rank_after
local want = math.min(ARGV[2] + 0, at_once())
local heads, rows, left, shown, place = {1, 1, 1}, {}, 0, {}, string.rep('\0', 14)
for i = 1, 3 do
  local set = KEYS[2 + 2 * i]
  local rank = call('ZCOUNT', set, '-inf', string.format('%.0f', now))
  if #ARGV[1] > 0 then
    local at, level, number = read('>I7BI6', ARGV[1])
    -- Those of a higher priority have passed that time, of a lower one they have not come to it.
    rank = math.max(rank, rank_after(set, at, i - 1 < level and NEVER or i - 1 == level and number or 0))
  end
  rows[i] = call('ZRANGE', set, rank, rank + want)
  left = left + #rows[i]
end
while left > 0 and #shown < want do
  local soonest, of = NEVER, 0
  for i = 1, 3 do
    local record = rows[i][heads[i]]
    local due = record and read('>I7', record, 7) or NEVER
    if due < soonest then
      soonest, of = due, i
    end
  end
  local record = rows[of][heads[of]]
  shown[#shown + 1] = record
  heads[of], left = heads[of] + 1, left - 1
  place = sub(record, 7, 13) .. string.char(of - 1) .. sub(record, 1, 6)
end
return (left > 0 and '\1' or '\0') .. place .. table.concat(shown)
