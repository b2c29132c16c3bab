-- Enqueues jobs: those without keys that are due at once, or any.

-- @section enqueue
-- Puts jobs into a queue: those that are due at the end of a list, the others into a sorted set.
--
-- KEYS     1 header, 2.. ready and waiting of some priorities; where a job has a key, of all, then keys and places; then the
--          records of what is ready, of each of them
-- ARGV     1: 6 bytes how many jobs the queue may have
--          then two for each job: 2 bytes how many from here on are to be enqueued together or not at all (0: as the one
--          before), 1 byte when it is due (0 now, 1 after, 2 at), 4 times which pair of keys is its own from 1 on, and 64 if
--          it replaces another of its key, then so many microseconds in 7 bytes, unless now; and the record
-- returns  for each job 15 bytes: what became of it (0 added, 1 replaced, 2 the same is there, 3 the queue is full), and
--          the priority, number and due time that its id is made of
-- stays    a job is in a list only if it was due when it came, so a list is in the order of numbers
-- costs    O(1) a job that is due, O(log n) another
-- @include calls
-- @include clock
-- @include header_read
-- @include keeping
local most = read('>I6', ARGV[1])
local replies, lists, records, sets, soonest, admitted = {}, {}, {}, {}, NEVER, false
local before_records = #KEYS > 4 and 9 or 3
local seq_before = seq
-- Puts what this call has gathered so far where it is to lie.
local function put_away()
  for pair, list in pairs(lists) do
    call('RPUSH', KEYS[2 * pair], unpack(list))
    call('RPUSH', KEYS[before_records + pair], unpack(records[pair]))
  end
  for pair, set in pairs(sets) do
    call('ZADD', KEYS[2 * pair + 1], unpack(set))
  end
  lists, records, sets = {}, {}, {}
end
-- @include take_out
for i = 2, last, 2 do
  local record = ARGV[i + 1]
  local together, kind = read('>I2B', ARGV[i])
  local pair, due = math.floor(kind / 4) % 16, now
  if kind % 4 > 0 then
    due = read('>I7', ARGV[i], 4)
    due = math.max(kind % 4 == 1 and now + due or due, now)
  end
  if together > 0 then
    admitted = jobs + together <= most
  end
  local level = math.floor(byte(record) / 16) % 4
  local outcome, place = admitted and 0 or 3, NO_PLACE
  -- @include keyed
  if outcome < 2 then
    seq, jobs = seq + 1, jobs + 1
    place = pack('>I6I7', seq, due)
    if due == now then
      local list, list_records = lists[pair] or {}, records[pair] or {}
      list[#list + 1] = place .. ONE .. pack('>I3', #record)
      list_records[#list_records + 1] = record
      lists[pair], records[pair] = list, list_records
    else
      local set = sets[pair] or {}
      set[#set + 1] = string.format('%.0f', due)
      set[#set + 1] = place .. ONE .. record
      sets[pair] = set
      longest = math.max(longest, 15 + #record)
    end
    soonest = math.min(soonest, due)
    -- @include keyed_added
  end
  replies[#replies + 1] = string.char(outcome, level) .. place
end
put_away()
-- @include signal
-- @include header_write
return table.concat(replies)

-- @section enqueue_now
-- Puts jobs of one priority that are due at once at the end of a list, as runs: jobs with numbers one after the other and one
-- due time, of which nothing is looked at here.
--
-- KEYS     1 header, 2 ready, 3 waiting, 4 the records of what is ready
-- ARGV     1: 6 bytes how many jobs the queue may have, 2 how many these are; 2: 2 bytes for each group of jobs that are
--          enqueued together or not at all, how many it has; 3: 2 bytes for each of the rest, how many jobs; these: records
--          of jobs in that order, some at a time
-- returns  6 bytes the number of the first job, 7 its due time; where not all were enqueued, a byte for each group, 1 when it
--          was. Those that were have numbers one after the other
-- stays    a list is in the order of numbers
-- costs    O(1) a run, or where the queue gets full, a job
-- @include calls
-- @include clock
-- @include header_read
local most, these = read('>I6I2', ARGV[1])
local first, heads, records, admitted, soonest = seq + 1, {}, {}, '', now
local function add(count, of_them)
  heads[#heads + 1] = pack('>I6I7I2I3', seq + 1, now, count, #of_them)
  records[#records + 1] = of_them
  seq, jobs = seq + count, jobs + count
end
if jobs + these <= most then
  for i = 4, last do
    add(read('>I2', ARGV[3], 2 * i - 7), ARGV[i])
  end
else
  -- @include enqueue_some
end
if #heads > 0 then
  -- Where this is no list, nothing is written yet.
  call('LLEN', KEYS[4])
  call('RPUSH', KEYS[2], unpack(heads))
  call('RPUSH', KEYS[4], unpack(records))
  -- @include signal
end
-- @include header_write
return pack('>I6I7', first, now) .. admitted

-- @section enqueue_some
-- Enqueues those groups for which there is room, each job as a run of its own.
local answers, chunk, at = {}, 4, 1
for g = 1, #ARGV[2] / 2 do
  local size = read('>I2', ARGV[2], 2 * g - 1)
  local fits = jobs + size <= most
  for _ = 1, size do
    if at > #ARGV[chunk] then
      chunk, at = chunk + 1, 1
    end
    local to = at + 3 + read('>I3', ARGV[chunk], at + 1)
    if fits then
      add(1, sub(ARGV[chunk], at, to))
    end
    at = to + 1
  end
  answers[g] = fits and '\1' or '\0'
end
admitted = table.concat(answers)

-- @section keyed
-- A job that has a key is left out when there is another, or takes the place of one that waits.
local key, done
if admitted and math.floor(byte(record) / 4) % 2 == 1 then
  key = sub(record, 6, 5 + byte(record, 5))
  local there = call('HGET', KEYS[8], key)
  done = there and (#there == 21 and there or sub(there, 15)) or ''
  if there and #there == 21 and (kind >= 64 or read('>I7', there, 15) <= now - keep_for) then
    -- It is done: nothing to replace, and after some time nobody's.
    there = nil
  end
  if there and kind < 64 then
    outcome, level, place = 2, byte(there), sub(there, 2, 14)
  elseif there then
    local number, first_due = read('>I6I7', there, 2)
    if number > seq_before then
      -- It came with this call, and lies nowhere yet.
      put_away()
    end
    if take_out(KEYS[2 * byte(there) + 2], KEYS[2 * byte(there) + 3], KEYS[10 + byte(there)], KEYS[9], number, first_due) then
      outcome, jobs = 1, jobs - 1
    end
  end
end

-- @section keyed_added
-- Notes which job has the key, before one that is done.
if key then
  call('HSET', KEYS[8], key, string.char(level) .. place .. done)
end
