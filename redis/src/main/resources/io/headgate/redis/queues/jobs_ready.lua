-- Shows jobs that are due, in the order in which they would be handed out.
--
-- KEYS     as of counts.lua
-- ARGV     1: where to go on, nothing at the beginning: 1 byte the priority; of its list 6 after which number, 4 in which
--          run that was; of its sorted set 7 after which due time, 6 and number; 2: how many to show at most
-- returns  1 byte whether there are more, 24 where to go on; runs of one job
-- costs    O(log n), O(n) steps of the list's chunks for every 100 runs; at most 800 runs of lists are looked at
-- @include calls
-- @include clock
-- @include header_read
-- @include at_once
-- @include rank_after
-- @include run_after
-- @include list_jobs
local most, bytes, shown, more = ARGV[2] + 0, 0, {}, false
local level, after, near, at, number = 0, 0, 0, 0, 0
if #ARGV[1] > 0 then
  level, after, near, at, number = read('>BI6I4I7I6', ARGV[1])
end
while level < 3 do
  local waiting = KEYS[4 + 2 * level]
  local rank = at > 0 and rank_after(waiting, at, number) or 0
  local due = call('ZCOUNT', waiting, '-inf', string.format('%.0f', now))
  local last = math.min(due, rank + math.min(most - #shown + 1, at_once())) - 1
  local old = last >= rank and call('ZRANGE', waiting, rank, last) or {}
  local next_in_list, j = list_jobs(KEYS[3 + 2 * level], after, near), 1
  local in_list, list_due, index, record = next_in_list()
  while not more do
    local one = old[j]
    if looked_enough or not one and rank + #old < due or #shown > 0 and (in_list or one) and (#shown == most or bytes >= MAX_BYTES) then
      more = true
    elseif not in_list and not one then
      break
    else
      local set_number, set_due = 0, NEVER
      if one then
        set_number, set_due = read('>I6I7', one)
      end
      if in_list and (list_due < set_due or list_due == set_due and in_list < set_number) then
        shown[#shown + 1] = pack('>I6I7I2', in_list, list_due, 1) .. record
        after, near = in_list, index
        in_list, list_due, index, record = next_in_list()
      else
        shown[#shown + 1] = one
        at, number, j = set_due, set_number, j + 1
      end
      bytes = bytes + #shown[#shown]
    end
  end
  if more then
    if looked_enough then
      after = math.max(after, passed)
    end
    break
  end
  level, after, near, at, number, passed = level + 1, 0, 0, 0, 0, 0
end
return (more and '\1' or '\0') .. pack('>BI6I4I7I6', level, after, near, at, number) .. table.concat(shown)
