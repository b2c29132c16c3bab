package io.headgate.bench;

import io.headgate.testkit.RedisProbe;

/** Where it all takes place: the Redis, a probe of it, and the pace. */
record Arena(String redisUrl, RedisProbe probe, Pace pace) {}
