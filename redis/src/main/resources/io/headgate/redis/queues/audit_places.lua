-- Looks at the entries that say where jobs are.
--
-- KEYS     as of claim.lua, then 17 what was set aside; last done
-- ARGV     1: '1' to mend; 2: where to go on, 0 at the beginning
-- returns  as audit_parts.lua says
-- costs    O(log^2 n) for each
-- @include calls
-- @include header_read
-- @include audit_parts
-- @include find_in_set
local function is_right(name, place)
  if #name ~= 6 or #place ~= 15 then
    return false
  end
  local state, at, first_due = read('>BI7I7', place)
  for _, key in ipairs(state == 1 and {7} or state == 2 and {#KEYS} or {9, 11, 13}) do
    local record = state < 3 and find_in_set(KEYS[key], (read('>I6', name)), at)
    if state > 2 or record and first_due_of(record) == first_due then
      return true
    end
  end
end
local page = call('HSCAN', KEYS[6], ARGV[2], 'COUNT', MAX_ONES)
for i = 1, #page[2], 2 do
  if not is_right(page[2][i], page[2][i + 1]) then
    found(PLACE, page[2][i])
    if mend then
      call('HDEL', KEYS[6], page[2][i])
    end
  end
end
return told(page[1] == '0' and '' or page[1])
