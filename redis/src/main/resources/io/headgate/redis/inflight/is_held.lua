-- Whether a permit is held that expires at that time; a reply that is none is of a key that is not ours, where nothing is.
local function is_held(expiry)
  return type(expiry) == 'string' and tonumber(expiry) > now
end
