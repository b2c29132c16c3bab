-- Takes back what was charged to some rules: by a decision, or the oldest permits that still count.
--
-- KEYS     the key of each rule; then, where a decision is refunded that must not be refunded twice, the key of its record
-- ARGV[1]  permits to take back
-- ARGV[2]  and on: each rule's limit, as for acquire, and after it: when the permits were charged, in us (7 bytes), or 0
--          for the oldest; when the limit would have been whole again after them (7)
-- ARGV     last, in tests: the time in microseconds since 1970
-- state    the record is an empty string; it expires a minute after the charge stops counting under every rule
-- returns  a string: the time (7 bytes), then for each rule: permits taken back (4), or 2^32 - 1 as in acquire and then how
--          far after now the time is that the periods must be about (7)
-- keeps    everything is read before anything is written, and nothing can fail after the first write; of a decision that has
--          a record, nothing is taken back
-- cost     TIME, and for each rule what its file reads, and a write; with a record GET, and SET where anything was taken back
-- locals   counts_until: when the charge stops counting under every rule; taken: whether anything was taken back
-- @include calls
-- @include clock
local record, taken, counts_until = KEYS[RULES + 1], false, 0
if record and call('GET', record) then
  return pack('>I7', now) .. string.rep('\0', RULES * 11)
end
local permits, allowed = ARGV[1] + 0, true
local reply = ''
-- @include rules
if record and taken then
  -- No limit takes longer than ten years to be whole again.
  local left = math.min(math.ceil((counts_until - now) / 1000), 316224000000)
  call('SET', record, '', 'PX', string.format('%d', left + 60000))
end
return pack('>I7', now) .. reply
