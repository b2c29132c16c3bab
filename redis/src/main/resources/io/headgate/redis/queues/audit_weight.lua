-- How much of a step's time it takes to look at a run, by its head: about as long as so many bytes do.
local MAX_WEIGHT, MAX_HEADS = 262144, 300
local function weight(head)
  if #head ~= 18 then
    return 1000
  end
  local count, length = read('>I2I3', head, 14)
  return 700 + 300 * count + length
end
