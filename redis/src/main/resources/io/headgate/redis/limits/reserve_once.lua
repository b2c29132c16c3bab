-- Decides one request that has an id under one rule that is decided apart, as reserve does; or answers what the rule answered
-- before, and charges nothing.
--
-- KEYS     the key of the rule, then that of the id
-- ARGV     1 the limit, as for acquire; 2 permits asked for; 3 what tells this request from others (16 bytes); 4 how long
--          the answer is kept, in ms; and in tests, the time
-- state    under the id, what is returned: a string
-- returns  what tells the request from others that was decided under this id; how many were told the answer and may be
--          admitted by it (2); and then what reserve returned for it
-- keeps    as reserve; an answer is kept if anything was charged, until the last who was told it gives it back
-- cost     as reserve, a GET, and a SET where it is kept, or a SETRANGE where it was
-- @include calls
-- @include clock
local answer = call('GET', KEYS[2])
if answer then
  if #answer < 61 then
    error('HEADGATE_FOREIGN not the answer to a request')
  end
  if now < unpack('>I7', answer, 19) + ARGV[4] * 1000 then
    local told = unpack('>I2', answer, 17)
    if told < 65535 and string.sub(answer, 1, 16) == ARGV[3] then
      call('SETRANGE', KEYS[2], '16', pack('>I2', told + 1))
    end
    return answer
  end
end
local limits, at, permits, many, allowed = ARGV[1], 1, ARGV[2] + 0, 1, true
local function decide()
  local reply = ''
  -- @include rules
end
answer = ARGV[3] .. pack('>I2', 1) .. decide()
-- @include charged
if charged then
  call('SET', KEYS[2], answer, 'PX', ARGV[4])
end
return answer
