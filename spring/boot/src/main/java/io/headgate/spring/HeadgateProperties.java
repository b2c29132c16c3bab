package io.headgate.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings directly under {@code headgate}. Those of {@code headgate.policies}, {@code headgate.redis}, {@code
 * headgate.web} and others are read elsewhere.
 *
 * @param enabled Whether Headgate is active. Otherwise, it limits nothing, and adds no beans.
 * @param engine Where limits are counted.
 * @param policiesFrom Where policies are added to those of headgate.policies: a policy file in YAML, such as classpath:limits.yaml; a
 *     file or directory that is watched, such as file:/etc/shop/limits.yaml; or redis, etcd or consul for those that headgate policy apply
 *     has written.
 * @param observations the observations of decisions
 */
@ConfigurationProperties(HeadgateProperties.PREFIX)
public record HeadgateProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("auto") Engine engine,
        @Nullable String policiesFrom,
        @DefaultValue Observations observations) {

    static final String PREFIX = "headgate";

    static final String ETCD = "headgate.etcd";
    static final String CONSUL = "headgate.consul";

    /** The prefix of the properties of the endpoint. */
    static final String ENDPOINT = "management.endpoint.headgate";

    /**
     * The etcd that has the policies. Spring Boot does not bind it, as the server's variable HEADGATE_ETCD would be a text in its place.
     *
     * @param url The etcd that has the policies, such as http://127.0.0.1:2379. Members of one cluster are separated by commas.
     * @param user The user of etcd.
     * @param password The password of the user.
     * @param ca A PEM file with the certificate authorities to trust; by default, those of the JDK.
     * @param clientCertificate A PEM file with the client certificate. Needs client-key.
     * @param clientKey A PEM file with the private key of the client certificate, as PKCS 8 without a password.
     * @param keyPrefix The first part of the keys.
     */
    @ConfigurationProperties(ETCD)
    public record Etcd(
            @Nullable String url,
            @Nullable String user,
            @Nullable String password,
            @Nullable String ca,
            @Nullable String clientCertificate,
            @Nullable String clientKey,
            @Nullable @DefaultValue("hg") String keyPrefix) {

        /** Contains neither the URL nor the password. */
        @Override
        public String toString() {
            return "Etcd[keyPrefix=" + keyPrefix + "]";
        }
    }

    /**
     * The Consul that has the policies. Spring Boot does not bind it, as the server's variable HEADGATE_CONSUL would be a text in its place.
     *
     * @param url The agent of the Consul that has the policies, such as http://127.0.0.1:8500.
     * @param token The token of the access control lists.
     * @param tokenFile A file with the token, which has precedence over token.
     * @param ca A PEM file with the certificate authorities to trust; by default, those of the JDK.
     * @param clientCertificate A PEM file with the client certificate. Needs client-key.
     * @param clientKey A PEM file with the private key of the client certificate, as PKCS 8 without a password.
     * @param keyPrefix The first part of the keys.
     */
    @ConfigurationProperties(CONSUL)
    public record Consul(
            @Nullable String url,
            @Nullable String token,
            @Nullable String tokenFile,
            @Nullable String ca,
            @Nullable String clientCertificate,
            @Nullable String clientKey,
            @Nullable @DefaultValue("hg") String keyPrefix) {

        /** Contains no token. */
        @Override
        public String toString() {
            return "Consul[keyPrefix=" + keyPrefix + "]";
        }
    }

    /**
     * The observations of decisions.
     *
     * @param enabled Whether decisions that call Redis or wait for permits are observed, which costs a few microseconds each.
     */
    public record Observations(@DefaultValue("false") boolean enabled) {}

    /** Where limits are counted. */
    public enum Engine {

        /** In Redis if the application configures one, otherwise in memory. */
        AUTO,

        /** In Redis; the application does not start if it configures none. */
        REDIS,

        /** In memory, even if the application configures a Redis: each instance counts alone. */
        MEMORY
    }
}
