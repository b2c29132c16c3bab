-- In which fields the parts of a claim's records are: the first in that of its token.
local function parts_of(token, count)
  local fields = {token}
  for i = 2, count do
    fields[i] = token .. string.char(i)
  end
  return fields
end
