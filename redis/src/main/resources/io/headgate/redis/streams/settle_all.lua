-- Settles entries. First those that are done, as in ack_all.lua. Then pairs: what is to be said of another entry, and its id:
-- 2 bytes under which delivery it is in hand, 2 whose, as there, 1 byte what, and
--   2 done, and its key is kept: 6 bytes for how many milliseconds, the key
--   3 waits again: 1 byte whether the attempt failed, 7 the delay in microseconds, 2 the length of the cause, the cause
--   4 dead letter: 2 bytes the length of the cause, the cause
--   5 lease extended: 6 bytes for how many milliseconds it counts as idle already
-- Answers a byte for each: 1 done, 0 the lease was lost; then what became of whole batches.
local answers, soonest = {}, NEVER
-- @include ack_all
-- @include remember
for i = ids_at + acks, last, 2 do
  local said, id = ARGV[i], ARGV[i + 1]
  local delivery, whose, verb = read('>I2I2B', said)
  local held = in_hand(id, id, 1)[1]
  local done = held and is_held(held, delivery, whose)
  if done then
    -- @include settle_one
  end
  answers[#answers + 1] = done and '\1' or '\0'
end
-- @include drop_empty
settled = table.concat(answers) .. table.concat(of_batches)
-- @include signal
