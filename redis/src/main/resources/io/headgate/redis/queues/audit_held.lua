-- How many jobs a claim had, how many are still in hand, and in how many parts its records are; nothing when what is held of
-- it can't be read.
local MAX_PARTS = 40
local function held_of(held)
  if held and #held >= 12 then
    local count, left, parts = read('>I2I2B', held)
    if count > 0 and (#held == 12 or #held == 5 + 7 * count) and parts > 0 and parts <= MAX_PARTS then
      return count, left, parts
    end
  end
end
