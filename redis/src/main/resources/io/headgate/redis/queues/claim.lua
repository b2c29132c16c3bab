-- Claims due jobs, after settling finished ones and taking expired leases back.

-- @section claim
-- Hands out jobs that are due, after it has settled others and taken back what expired.
--
-- KEYS     1 header, 2 leases, 3 held, 4 records, 5 keys, 6 places, 7 dead, 8..13 ready and waiting of each priority, 14..16
--          the records of what is ready, of each priority; last done, where done jobs are kept
-- ARGV     1: 2 bytes how many jobs at most, 7 how many microseconds they are leased, 1 how often a job may crash;
--          2: the token of the claim; then what is to be settled, as in settle.lua, and where done jobs are
--          kept, as keeping in settle.lua
-- returns  7 bytes the time, 7 when there may be more, 1 whether the queue is paused, 2 how many jobs, 1 how many are dead
--          letters now, as their leases expired too often; the runs that they are in, in parts; a byte for each that was to be
--          settled
-- stays    a job is in one place; jobs of a priority are handed out by due time, then by number
-- costs    O(1) a run from the list, O(log n) a job from the sorted set, O(jobs) of one claim that expired
-- @include calls
-- @include clock
-- @include keeping
-- @include header_read
-- @include may_write
-- @include at_once
local most, lease, crashes = read('>I2I7B', ARGV[1])
local settled, given_up = '', 0
-- @include parts_of
local settles = last > 2 or ends <= now
-- @include trim_due
if settles then
  local first = 3
  -- @include put_back
  -- @include leases_in
  -- @include settle_all
  -- @include expire
  -- @include take_back
  -- @include trim
end
-- @include take_run
if paused == 0 then
  for level = 8, 12, 2 do
    -- @include take
  end
end
more = math.min(more, ends)
if n > 0 then
  local expiry = now + lease
  -- @include hold
  call('ZADD', KEYS[2], string.format('%.0f', expiry), ARGV[2])
  leased, ends = leased + n, math.min(ends, expiry)
end
if more > now then
  -- Who got all there was comes back only then, unless it is woken.
  awaited = more
end
-- @include header_write
table.insert(taken, 1, pack('>I7I7BI2B', now, more, paused, n, given_up))
taken[#taken + 1] = settled
return taken

-- @section trim_due
-- Whether there are done jobs that are too many or too old.
settles = settles or call('ZCARD', KEYS[#KEYS]) > keep_most
  or call('ZCOUNT', KEYS[#KEYS], '-inf', string.format('%.0f', now - keep_for)) > 0

-- @section expire
-- The lease of the job has expired: it waits again, or, when that was so often enough, is a dead letter.
local function expire(record)
  local crashed = math.min(255, (byte(record, 16) % 2 == 1 and byte(record, 30) or 0) + 1)
  if crashed >= crashes then
    bury(record, 0, 1, 'its lease expired ' .. crashed .. ' times')
    given_up = given_up + 1
  else
    wait_again(record, (read('>I7', record, 7)), 0, 1, 1)
  end
end

-- @section take_back
-- Takes back the jobs of claims whose leases have expired, a bounded number at a time; those that were extended stay in
-- hand. They keep their due time, and so go first.
if ends <= now then
  local taken_back = 0
  local tokens = call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, MAX_CLAIMS)
  for _, token in ipairs(tokens) do
    if taken_back >= MAX_TAKEN_BACK then
      break
    end
    local expiries, left, parts = leases_in(call('HGET', KEYS[3], token))
    local job = jobs_in(records_of(token, parts))
    for i = 1, #expiries do
      if expiries[i] > 0 and expiries[i] <= now and taken_back < MAX_TAKEN_BACK then
        expire(job(i))
        expiries[i] = 0
        left, leased, taken_back = left - 1, leased - 1, taken_back + 1
      end
    end
    claim_changed(token, expiries, left, parts)
  end
  local soonest = call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
  ends = soonest and tonumber(soonest) or NEVER
end

-- @section take
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

-- @section take_runs
-- Takes runs off the list until there are jobs enough, of the last one perhaps a part.
local room, size = most - n, bytes
while taken_heads < #heads and room > 0 and size < MAX_BYTES do
  taken_heads = taken_heads + 1
  local count, length = read('>I2I3', heads[taken_heads], 14)
  room, size = room - count, size + length
end
local records = taken_heads > 0 and call('LPOP', ready_records, taken_heads) or {}
for i = 1, taken_heads do
  rest_head, rest = take_run(heads[i], records[i], most)
end

-- @section take_run
-- What is taken so far: runs in parts, how many jobs and bytes they have; how many jobs a run had that was looked at last,
-- which is one at first, as if it had all; how many runs were looked at; and from when on there is more.
local taken, n, bytes, per_run, looked, more = {}, 0, 0, most, 0, NEVER

local function take_whole(head, records, count)
  taken[#taken + 1] = head
  taken[#taken + 1] = records
  n, bytes = n + count, bytes + #head + #records
end

-- Takes the jobs of a run that were not cancelled, as runs between those that were.
local function take_live(records, first, due, count)
  local from, start, number = 1, 1, first
  for k = first, first + count do
    local flags, size = 64, 0
    if k < first + count then
      flags, size = read('>BI3', records, from)
    end
    if flags >= 64 then
      if k > number then
        take_whole(pack('>I6I7I2', number, due, k - number), sub(records, start, from - 1), k - number)
      end
      if k < first + count then
        cancelled = cancelled - 1
      end
      start, number = from + 4 + size, k + 1
    end
    from = from + 4 + size
  end
end

-- Takes a run of a list, or as much of it as there is room for, and no more jobs than so many, and then returns the rest.
local function take_run(head, records, at_most)
  local first, due, count = read('>I6I7I2', head)
  local room, rest_head, rest = math.min(most - n, at_most), nil, nil
  per_run = count
  if count > room then
    local from = 1
    for _ = 1, room do
      from = from + 4 + read('>I3', records, from + 1)
    end
    rest = sub(records, from)
    rest_head = pack('>I6I7I2I3', first + room, due, count - room, #rest)
    records, count = sub(records, 1, from - 1), room
  end
  if cancelled > 0 then
    take_live(records, first, due, count)
  else
    take_whole(pack('>I6I7I2', first, due, count), records, count)
  end
  return rest_head, rest
end

-- @section take_merged
-- Takes from both by due time and then by number, as far as it has looked. Those of the sorted set are runs of one.
local old = call('ZRANGE', waiting, 0, math.min(most - n, at_once(), due) - 1)
local j = 1
while n < most and bytes < MAX_BYTES and not rest do
  local head, one = heads[taken_heads + 1], old[j]
  if not head and in_list or not one and due > #old or not head and not one then
    break
  end
  local from_list, before = not one, most
  if head and one then
    local number, at = read('>I6I7', head)
    local old_number, old_at = read('>I6I7', one)
    from_list = at < old_at or at == old_at and number < old_number
    if at == old_at then
      -- One that was taken out of the middle of the run, and came back.
      before = old_number - number
    end
  end
  if from_list then
    taken_heads = taken_heads + 1
    rest_head, rest = take_run(head, call('LPOP', ready_records), before)
  else
    if byte(one, 16) % 2 == 1 then
      call('HDEL', KEYS[6], sub(one, 1, 6))
    end
    taken[#taken + 1] = one
    n, bytes = n + 1, bytes + #one
    j = j + 1
  end
end
if j > 1 then
  call('ZREMRANGEBYRANK', waiting, 0, j - 2)
  due = due - (j - 1)
end

-- @section hold
-- Keeps what is handed out. Redis's Lua reads every byte of a string that it makes, so a few large parts are kept as they are.
if #taken > 40 or bytes < 2000 then
  taken = {table.concat(taken)}
end
call('HSET', KEYS[3], ARGV[2], pack('>I2I2BI7', n, n, #taken, expiry))
if #taken == 1 then
  call('HSET', KEYS[4], ARGV[2], taken[1])
else
  local fields, parts = parts_of(ARGV[2], #taken), {}
  for i, field in ipairs(fields) do
    parts[2 * i - 1], parts[2 * i] = field, taken[i]
  end
  call('HSET', KEYS[4], unpack(parts))
end
