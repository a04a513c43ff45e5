import type { Route } from '../endpoint.ts';
import { type ListingDeps, listingEndpoints, listingRoutes } from './listings.ts';

const endpoints = listingEndpoints('playlist', 100);

export const playlistEndpoints = [endpoints.read, endpoints.start] as const;

/** The videos of a playlist, and a job over them. */
export const playlists = (deps: ListingDeps): Route[] => listingRoutes('playlist', endpoints, deps);
