-- How many records surely are not too much for one call.
local function at_once()
  return math.max(1, math.floor(MAX_BYTES / math.max(longest, 1)))
end
