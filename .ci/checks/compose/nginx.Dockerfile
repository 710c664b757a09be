# Stands in for nginx:1.29.
FROM stand-in-debian
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends nginx-light >/dev/null
COPY nginx.conf /etc/nginx/nginx.conf
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
