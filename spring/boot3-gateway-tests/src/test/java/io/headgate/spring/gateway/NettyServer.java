package io.headgate.spring.gateway;

import org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The server of reactive gateways, as Tomcat is on the class path, too. */
@Configuration(proxyBeanMethods = false)
class NettyServer {

    @Bean
    NettyReactiveWebServerFactory server() {
        return new NettyReactiveWebServerFactory();
    }
}
