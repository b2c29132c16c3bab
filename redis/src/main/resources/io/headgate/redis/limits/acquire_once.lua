-- Decides one request that has an id, as acquire does; or answers what it was answered before, and charges nothing.
--
-- KEYS     the key of each rule, then that of the id
-- ARGV     1 the limits, as for acquire; 2 permits asked for; 3 what tells this request from others (16 bytes); 4 how long
--          the answer is kept, in ms; and in tests, the time
-- state    under the id, what is returned: a string
-- returns  what tells the request from others that was decided under this id, and then what acquire returned for it
-- keeps    as acquire; an answer is kept if anything was charged
-- cost     as acquire, a GET, and a SET where it is kept
-- @include calls
-- @include clock
local answer = call('GET', KEYS[RULES + 1])
if answer then
  if #answer < 41 then
    error('HEADGATE_FOREIGN not the answer to a request')
  end
  if now < unpack('>I7', answer, 17) + ARGV[4] * 1000 then
    return answer
  end
end
local limits, at, permits, many, allowed = ARGV[1], 1, ARGV[2] + 0, 1, true
local function decide()
  local reply = ''
  -- @include rules
end
answer = ARGV[3] .. decide()
-- @include charged
if charged then
  call('SET', KEYS[RULES + 1], answer, 'PX', ARGV[4])
end
return answer
