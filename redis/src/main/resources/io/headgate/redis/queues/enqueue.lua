-- Puts jobs into a queue: those that are due at the end of a list, the others into a sorted set.
--
-- KEYS     1 header, 2.. ready and waiting of some priorities; where a job has a key, of all, then keys and places; then the
--          records of what is ready, of each of them
-- ARGV     1: 6 bytes how many jobs the queue may have
--          then each job: 2 bytes how many from here on are to be enqueued together or not at all (0: as the one before);
--          1 byte when it is due (0 now, 1 after, 2 at), 4 times which pair of keys is its own from 1 on, and 64 if it
--          replaces another of its key; then so many microseconds in 7 bytes, unless now; the record from its flags on
-- returns  for each job 15 bytes: what became of it (0 added, 1 replaced, 2 the same is there, 3 the queue is full), and
--          the priority, number and due time that its id is made of
-- stays    a job is in a list only if it was due when it came, so a list is in the order of numbers
-- costs    O(1) a job that is due, O(log n) another
-- @include calls
-- @include clock
-- @include header_read
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
for i = 2, last do
  local job = ARGV[i]
  local together, kind = read('>I2B', job)
  local pair, from, due = math.floor(kind / 4) % 16, 4, now
  if kind % 4 > 0 then
    from, due = 11, read('>I7', job, 4)
    due = math.max(kind % 4 == 1 and now + due or due, now)
  end
  if together > 0 then
    admitted = jobs + together <= most
  end
  local level = math.floor(byte(job, from) / 16) % 4
  local outcome, place = admitted and 0 or 3, NO_PLACE
  -- @include keyed
  if outcome < 2 then
    seq, jobs = seq + 1, jobs + 1
    place = pack('>I6I7', seq, due)
    local record = sub(job, from)
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
