-- What the scripts call often, looked up once; the first permit of a hold, and how many expired ones a call removes at most.
local call, pack, read = redis.call, struct.pack, struct.unpack
local FIRST, MOST_REMOVED = '\0', 200
-- A time as Redis takes it: to join a number to a string keeps 14 digits of it only.
local function text(micros)
  return string.format('%.0f', micros)
end
