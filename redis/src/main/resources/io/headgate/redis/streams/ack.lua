-- Acknowledges entries, batches of a claim first.

-- @section ack
-- Says of entries that are in hand that they are done.
--
-- KEYS     1 stream, 2 when to look for expired leases, where, and the fence
-- ARGV     1 the group, 2 the consumer; then what is to be acked, as in ack_all
-- returns  7 bytes the time; a byte for each by its id: 1 done, 0 the lease was lost and nothing changed; then what became of
--          whole batches
-- costs    O(1) for each, O(log n) after a takeover
-- @include calls
-- @include clock
local stream, looks = KEYS[1], KEYS[2]
local first, answers = 3, {}
-- @include looks_read
-- @include ack_all
-- @include drop_empty
return pack('>I7', now) .. table.concat(answers) .. table.concat(of_batches)

-- @section ack_all
-- Acks entries: whole batches by their names; others all in one command where they were handed out under the fence as it is now.
-- Else it looks at once at what is in hand from the first to the last of them, and where that is much more, at the rest one by
-- one.
--
-- Argument `first`: 2 bytes how many batches are named, 2 how many entries are acked by their ids; 7 bytes the fence that was, if
-- it was one for these and nothing was said of any of them before, else 0; of each of these 2 bytes under which delivery it is
-- in hand, and 2 whose: of which of the batches, or 0 of the consumer. Then the batches: 1 byte what becomes of its name, which
-- stays (0), goes if nothing is left (1) or with all that it has (2), 7 the fence that was, the name. Then the ids, in their
-- order. In `answers` is a byte for each of these: 1 done, 0 the lease was lost; in `of_batches`, what ack_batch says.
local batches, acks, under = read('>I2I2I7', ARGV[first])
local names, of_batches, ids_at = {}, {}, first + 1 + batches
-- @include in_hand
for i = 1, batches do
  local how, fence_was, name = byte(ARGV[first + i]), read('>I7', ARGV[first + i], 2), sub(ARGV[first + i], 9)
  names[i] = name
  if how == 2 then
    -- @include ack_batch
  end
end
if acks > 0 and under > 0 and under == fence then
  -- None of them: the group is not what it was.
  local gone = call('XACK', stream, ARGV[1], unpack(ARGV, ids_at, ids_at + acks - 1))
  answers[1] = string.rep(gone > 0 and '\1' or '\0', acks)
elseif acks > 0 then
  -- @include ack_each
end

-- @section ack_batch
-- Acks all that a batch has, by its name, which goes. Says 0 that there was nothing, 1 that all is done; after a takeover, or
-- where Redis 6.2 has no memory left for such a command, 2 and as MessagePack the ids of what was left to ack.
local dropped = fence_was > 0 and fence_was == fence and redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], name)
if type(dropped) == 'number' then
  of_batches[#of_batches + 1] = dropped > 0 and '\1' or '\0'
else
  local ids = in_hand('-', '+', 65535, name)
  for k = 1, #ids do
    ids[k] = ids[k][1]
  end
  if #ids > 0 then
    call('XACK', stream, ARGV[1], unpack(ids))
    redis.pcall('XGROUP', 'DELCONSUMER', stream, ARGV[1], name)
  end
  of_batches[#of_batches + 1] = #ids > 0 and '\2' .. cmsgpack.pack(ids) or '\0'
end

-- @section ack_each
-- Acks those entries that are in the hands, and under the delivery, that are spoken of.
local most, rows, ids = 2 * acks, {}, {}
local shown = in_hand(ARGV[ids_at], ARGV[ids_at + acks - 1], most)
for i = 1, #shown do
  rows[shown[i][1]] = shown[i]
end
for i = 1, acks do
  local id = ARGV[ids_at + i - 1]
  local row = rows[id]
  if row == nil and #shown == most then
    row = in_hand(id, id, 1)[1]
  end
  local done = row and is_held(row, read('>I2I2', ARGV[first], 4 * i + 8))
  if done then
    ids[#ids + 1] = id
    rows[id] = false
  end
  answers[i] = done and '\1' or '\0'
end
if #ids > 0 then
  call('XACK', stream, ARGV[1], unpack(ids))
end

-- @section in_hand
-- What is in hand from one id to another, by that name or by any: of each its id, consumer, idle time and deliveries. And whether
-- such a one is held under that delivery by the consumer, or by a batch that is named.
local function in_hand(from, to, most, ...)
  local reply = redis.pcall('XPENDING', stream, ARGV[1], from, to, most, ...)
  if reply.err and string.find(reply.err, 'NOGROUP', 1, true) then
    return {}
  end
  return reply.err and call('XPENDING', stream, ARGV[1], from, to, most, ...) or reply
end
local function is_held(row, delivery, whose)
  return row[2] == (names[whose] or ARGV[2]) and math.min(65535, row[4]) == delivery
end
