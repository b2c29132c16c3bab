-- Hands out entries of a stream to a consumer of a group, after it has settled others: those whose lease has expired, then
-- new ones. Room is left for what is due in the group's queue, which is claimed there. Where nothing goes before new entries,
-- a command behind the script may be left to read them.
--
-- KEYS     1..13 the group's queue, as of claim.lua of queues; 14 stream; 15 when to look for expired leases, where, and the
--          fence; 16 the keys of what is done; 17 what is there while somebody waits for an entry; 18, if a command is
--          behind: what opens the stream to it
-- ARGV     1 the group, 2 the consumer; 3: 2 bytes how many entries at most, 6 for how many milliseconds, 6 the minimum idle
--          time in milliseconds, 1 how often an entry may crash, 2 how many surely are not too much for one step; 4 after
--          which id the group begins if it is missing; then what is to be settled, as in settle_all.lua
-- returns  7 bytes the time, 7 when there may be more, 1 whether the group is paused, 2 how many may be due in its queue, 7
--          the fence, 1 whether new entries are left to the command behind, 2 how many are dead letters now, as their leases
--          expired too often, 2 how many lists of entries; these, as MessagePack: of each entry its id, its fields, and the
--          how-manieth delivery it is unless the first, as text; a byte for each that was settled
-- stays    an entry is in the hands of one consumer; what is not settled stays pending
-- costs    O(1) a new entry, O(log n) one that is settled or taken over
-- @include calls
-- @include clock
-- @include header_read
local stream, looks, done_keys = KEYS[14], KEYS[15], KEYS[16]
-- @include looks_read
local most, lease, min_idle, max_crashes, at_once = read('>I2I6I6BI2', ARGV[3])
local old_seq, old_awaited, settled = seq, awaited, ''
-- @include put_back
-- @include as_job
if last > 4 then
  local first = 5
  -- @include settle_all
end
local chunks, n, bytes, retries, more, opened, changed, given_up = {}, 0, 0, 0, NEVER, 0, false, 0
if paused == 0 then
  -- @include retries_due
  -- @include in_group
  -- @include hand_out
  local room = most - math.min(most, retries)
  -- @include take_over
  if KEYS[18] and n + retries == 0 then
    -- @include open
  else
    -- @include read_new
  end
end
if changed then
  call('SET', looks, pack('>I7I7', look_at, fence) .. cursor)
end
if more > now then
  -- Who got all there was comes back only then, unless it is woken.
  awaited = more
  call('SET', KEYS[17], 1)
end
if seq ~= old_seq or awaited ~= old_awaited then
  -- @include header_write
end
return pack('>I7I7BI2I7BI2I2', now, more, paused, math.min(retries, most), fence, opened, given_up, #chunks)
  .. table.concat(chunks) .. settled
