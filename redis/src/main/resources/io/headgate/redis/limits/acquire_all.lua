-- Decides requests one after the other, each as acquire does. Several that ask for the same are one step: as many of them as
-- there is room for are charged together, and the rest is denied. A request at which something fails does not keep the
-- others from being decided.
--
-- KEYS     the key of each rule of the first request, then of the second, and so on
-- ARGV     1 the limits, as for acquire; then, unless each is one request for one permit, for each step: permits asked for by
--          each (4 bytes), how many ask (2); and in tests, the time (7)
-- returns  the time (7 bytes); then for each step what acquire says after the time. Where several asked, before it how many
--          were admitted (2): what is said is said to the last of these, and again to the others, if some of them were and
--          not all. A step that failed: 2^32 - 2 (4), and the error behind its length (2). One that must be asked alone, as
--          it would write more entries of sliding windows wider than are spared for that: in a rule, 2^32 - 1 remain
-- keeps    of each step everything is read and decided before anything is written
-- cost     as acquire for each step, or twice of that where not all who asked were admitted; the command itself once
-- @include calls
-- @include clock
local limits, steps, rules, said, step = ARGV[1], ARGV[2], RULES, {''}, 0
-- How many entries this call may still write wider: some 0.6 ms.
local spare = 4096
local total = #KEYS / rules
local function decide()
  while step < total do
    local base, at, permits, many, allowed, wide, reply = step * rules, 1, 1, 1, true, 0, ''
    step = step + 1
    -- @include step
    local asked, least, admitted, answer = many, 4294967295, many, ''
    while answer do
      -- @include rules
      -- @include charged
      if charged then
        spare, wide = spare - wide, 0
      end
      if asked == 1 then
        said[step + 1], answer = reply, nil
      elseif answer ~= '' or admitted == 0 or admitted == asked then
        said[step + 1], answer = pack('>I2', admitted) .. answer .. reply, nil
      else
        -- There are others, for whom nothing is left.
        answer, allowed, many, at, permits, reply = reply, false, 1, 1, permits / admitted, ''
      end
    end
  end
end
while step < total do
  local fine, problem = pcall(decide)
  if not fine then
    problem = type(problem) == 'table' and problem.err or tostring(problem)
    said[step + 1] = pack('>I4I2', 4294967294, #problem) .. problem
  end
end
said[1] = pack('>I7', now)
return said
