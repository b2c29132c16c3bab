-- What every rule calls several times, looked up once.
local call, pack, unpack = redis.call, struct.pack, struct.unpack
