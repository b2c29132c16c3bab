-- What the scripts call often, looked up once.
local call, pack, read, sub, byte = redis.call, struct.pack, struct.unpack, string.sub, string.byte
-- How many bytes of records one call takes in or hands out, and how many of causes are kept with a job.
local MAX_BYTES, MAX_CAUSES = 524288, 4000
