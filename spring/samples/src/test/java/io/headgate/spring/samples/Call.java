package io.headgate.spring.samples;

/**
 * A request of the load.
 *
 * @param key what its limit counts by: a tenant or an address
 * @param login whether it is a failing login; otherwise it calls the API with the token of a tenant
 * @param permits the permits that it needs
 * @param instance the instance that gets it, 0 or 1
 * @param duringOutage whether its key is used during the outage only
 */
record Call(String key, boolean login, int permits, int instance, boolean duringOutage) {

    String path() {
        if (login) {
            return "/login";
        }
        return permits == 1 ? "/api/orders" : "/api/reports/2026";
    }

    /** The status of a response to a request that the limit admits: passwords are wrong, and tokens are not. */
    int admittedStatus() {
        return login ? 401 : 200;
    }
}
