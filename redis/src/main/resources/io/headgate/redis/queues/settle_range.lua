-- Settles jobs of one claim that follow one another and are all done.
local size, lost = read('>I2', ops, at), {}
at = at + 2
for k = index, index + size - 1 do
  if (expiries[k] or 0) > now then
    expiries[k] = 0
  else
    lost[#lost + 1] = k - index
  end
end
local done = size - #lost
jobs, left, leased = jobs - done, left - done, leased - done
if #lost == 0 then
  answers[#answers + 1] = string.rep('\1', size)
else
  local after = 0
  for _, k in ipairs(lost) do
    answers[#answers + 1] = string.rep('\1', k - after) .. '\0'
    after = k + 1
  end
  answers[#answers + 1] = string.rep('\1', size - after)
end
