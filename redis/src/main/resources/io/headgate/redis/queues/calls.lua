-- What the scripts call often, looked up once.
local call, pack, read, sub, byte = redis.call, struct.pack, struct.unpack, string.sub, string.byte
-- How many bytes of records one call hands out, how many of causes are kept with a job; how many claims, and of them how many
-- jobs, one call takes back.
local MAX_BYTES, MAX_CAUSES, MAX_CLAIMS, MAX_TAKEN_BACK = 131072, 4000, 16, 100
-- How many runs of lists one call looks at, those included in which all was cancelled.
local MAX_LOOKED = 1000
-- What a run of one job says of how many it has.
local ONE = '\0\1'
